// Big integers: powers, Jacobi symbols, primes, and random numbers that nobody foresees (spec: arcade, section 2).

const WINDOW = 4n;

/** base^exponent mod modulus, four bits of the exponent at a time. */
export function power(base, exponent, modulus) {
  if (modulus <= 0n || exponent < 0n) throw new RangeError("a power needs a modulus above 0 and an exponent from 0");
  const table = [1n % modulus];
  for (let at = 1; at < 16; at += 1) table.push((table[at - 1] * base) % modulus);
  const digits = exponent.toString(16);
  let product = table[0];
  for (const digit of digits) {
    for (let at = 0n; at < WINDOW; at += 1n) product = (product * product) % modulus;
    const index = parseInt(digit, 16);
    if (index) product = (product * table[index]) % modulus;
  }
  return product;
}

/** How many bits a number has. */
export const bits = (number) => (number === 0n ? 0 : number.toString(2).length);

/** A uniform number of so many bits at most, from the browser's generator of secrets. */
function drawn(count) {
  const octets = crypto.getRandomValues(new Uint8Array(Math.ceil(count / 8)));
  let number = 0n;
  for (const octet of octets) number = (number << 8n) | BigInt(octet);
  return number >> BigInt(octets.length * 8 - count);
}

/** A uniform number from 0 to below `limit`. */
export function below(limit) {
  const count = bits(limit - 1n) || 1;
  for (;;) {
    const number = drawn(count);
    if (number < limit) return number;
  }
}

/** A secret exponent of so many bits: from 1 to 2^count − 1. */
export const secret = (count) => 1n + below((1n << BigInt(count)) - 1n);

/** The Jacobi symbol (a/n) for odd n > 0. */
export function jacobi(a, n) {
  if (n <= 0n || n % 2n === 0n) throw new RangeError("a Jacobi symbol needs an odd number below the bar");
  let [top, bottom, sign] = [((a % n) + n) % n, n, 1];
  while (top !== 0n) {
    while (top % 2n === 0n) {
      top /= 2n;
      const rest = bottom % 8n;
      if (rest === 3n || rest === 5n) sign = -sign;
    }
    [top, bottom] = [bottom, top];
    if (top % 4n === 3n && bottom % 4n === 3n) sign = -sign;
    top %= bottom;
  }
  return bottom === 1n ? sign : 0;
}

/** Whether an odd number above 3 is a strong probable prime to a base (Miller and Rabin). */
function strong(number, base) {
  let [odd, twos] = [number - 1n, 0];
  while (odd % 2n === 0n) {
    odd /= 2n;
    twos += 1;
  }
  let found = power(base, odd, number);
  if (found === 1n || found === number - 1n) return true;
  for (let at = 1; at < twos; at += 1) {
    found = (found * found) % number;
    if (found === number - 1n) return true;
  }
  return false;
}

function root(number) {
  let guess = 1n << BigInt(Math.ceil(bits(number) / 2));
  for (;;) {
    const better = (guess + number / guess) / 2n;
    if (better >= guess) return guess;
    guess = better;
  }
}

/** Whether an odd number is a strong Lucas probable prime, with Selfridge's parameters. */
function lucas(number) {
  if (root(number) ** 2n === number) return false;
  let d = 5n;
  for (;;) {
    const symbol = jacobi(d, number);
    if (symbol === -1) break;
    if (symbol === 0 && (d < 0n ? -d : d) % number !== 0n) return false;
    d = d > 0n ? -(d + 2n) : -d + 2n;
  }
  const q = (1n - d) / 4n;
  const half = (value) => ((value % 2n === 0n ? value : value + number) / 2n) % number;
  const mod = (value) => ((value % number) + number) % number;
  let [odd, twos] = [number + 1n, 0];
  while (odd % 2n === 0n) {
    odd /= 2n;
    twos += 1;
  }
  let [u, v, power] = [1n, 1n, mod(q)];
  for (const digit of odd.toString(2).slice(1)) {
    [u, v, power] = [mod(u * v), mod(v * v - 2n * power), mod(power * power)];
    if (digit === "1") [u, v, power] = [half(mod(u + v)), half(mod(d * u + v)), mod(power * q)];
  }
  if (u === 0n || v === 0n) return true;
  for (let at = 1; at < twos; at += 1) {
    [v, power] = [mod(v * v - 2n * power), mod(power * power)];
    if (v === 0n) return true;
  }
  return false;
}

/** Whether a number is prime, though its maker knows this function: BPSW, then so many bases that nobody can foresee. */
export function prime(number, rounds = 64) {
  if (number < 5n) return number === 2n || number === 3n;
  if (number % 2n === 0n || !strong(number, 2n) || !lucas(number)) return false;
  for (let at = 0; at < rounds; at += 1) if (!strong(number, 2n + below(number - 3n))) return false;
  return true;
}
