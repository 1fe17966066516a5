// A GIF of several frames (GIF89a), written from indices into one palette. Of each frame only what differs from the one before it
// is written; a frame that differs in nothing lengthens the one before it. Does nothing by itself, and needs no page.

const MOST_CODES = 4096;
const BLOCK = 255;
const BITS = 8; // of an index: the palette has 256 places

/** Octets that become more. */
class Octets {
  #octets = new Uint8Array(1 << 16);
  length = 0;

  /** @param {number[] | Uint8Array} more */
  add(more) {
    if (this.length + more.length > this.#octets.length) {
      const larger = new Uint8Array(2 * (this.length + more.length));
      larger.set(this.#octets);
      this.#octets = larger;
    }
    this.#octets.set(more, this.length);
    this.length += more.length;
  }

  taken() {
    return this.#octets.slice(0, this.length);
  }
}

/** Compress indices as GIF has it: codes of growing width (LZW), the lowest bit first. @param {Uint8Array} indices */
function packed(indices) {
  const clear = 1 << BITS;
  const found = new Octets();
  const known = new Map();
  let [width, next, kept, held] = [BITS + 1, clear + 2, 0, 0];
  /** @param {number} code */
  const say = (code) => {
    kept |= code << held;
    for (held += width; held >= 8; held -= 8) {
      found.add([kept & 255]);
      kept >>>= 8;
    }
  };
  say(clear);
  let run = indices[0];
  for (const one of indices.subarray(1)) {
    const longer = known.get((run << BITS) | one);
    if (longer !== undefined) {
      run = longer;
      continue;
    }
    say(run);
    if (next < MOST_CODES) {
      if (next === 1 << width) width += 1;
      known.set((run << BITS) | one, next);
      next += 1;
    } else {
      say(clear);
      known.clear();
      [width, next] = [BITS + 1, clear + 2];
    }
    run = one;
  }
  say(run);
  if (next === 1 << width && width < 12) width += 1; // who reads learns one code more from this one
  say(clear + 1);
  if (held > 0) found.add([kept & 255]);
  return found.taken();
}

/** @param {number} number */
const word = (number) => [number & 255, number >> 8];

export class Gif {
  #out = new Octets();
  /** @type {Uint8Array | null} */
  #last = null;
  /** @type {{ indices: Uint8Array, left: number, top: number, width: number, height: number, hundredths: number } | null} what waits for its duration */
  #waiting = null;

  /** @param {number} width @param {number} height @param {number[][]} palette red, green and blue of at most 256 colours */
  constructor(width, height, palette) {
    this.width = width;
    this.height = height;
    this.#out.add([...new TextEncoder().encode("GIF89a"), ...word(width), ...word(height), 0xf7, 0, 0]);
    this.#out.add(Array.from({ length: 256 }, (_, at) => palette[at] ?? [0, 0, 0]).flat());
    this.#out.add([0x21, 0xff, 11, ...new TextEncoder().encode("NETSCAPE2.0"), 3, 1, 0, 0, 0]); // again and again
  }

  /** Show a frame for so many hundredths of a second. @param {Uint8Array} indices @param {number} hundredths */
  add(indices, hundredths) {
    const changed = this.#changed(indices);
    if (this.#waiting && !changed) {
      this.#waiting.hundredths += hundredths;
      return;
    }
    this.#write();
    const { left, top, right, bottom } = changed ?? { left: 0, top: 0, right: 1, bottom: 1 };
    const [width, height] = [right - left, bottom - top];
    const part = new Uint8Array(width * height);
    for (let row = 0; row < height; row += 1) part.set(indices.subarray((top + row) * this.width + left, (top + row) * this.width + right), row * width);
    this.#waiting = { indices: part, left, top, width, height, hundredths };
    this.#last = indices.slice();
  }

  /** The box of what differs from the last frame, null where nothing does. @param {Uint8Array} indices */
  #changed(indices) {
    if (!this.#last) return { left: 0, top: 0, right: this.width, bottom: this.height };
    const last = this.#last;
    let [left, top, right, bottom] = [this.width, this.height, 0, 0];
    indices.forEach((one, at) => {
      if (one === last[at]) return;
      const [column, row] = [at % this.width, Math.floor(at / this.width)];
      left = Math.min(left, column);
      right = Math.max(right, column + 1);
      top = Math.min(top, row);
      bottom = row + 1;
    });
    return right ? { left, top, right, bottom } : null;
  }

  #write() {
    if (!this.#waiting) return;
    const { indices, left, top, width, height, hundredths } = this.#waiting;
    this.#out.add([0x21, 0xf9, 4, 4, ...word(hundredths), 0, 0]);
    this.#out.add([0x2c, ...word(left), ...word(top), ...word(width), ...word(height), 0, BITS]);
    const octets = packed(indices);
    for (let at = 0; at < octets.length; at += BLOCK) {
      const block = octets.subarray(at, at + BLOCK);
      this.#out.add([block.length]);
      this.#out.add(block);
    }
    this.#out.add([0]);
    this.#waiting = null;
  }

  /** All of it. */
  ended() {
    this.#write();
    this.#out.add([0x3b]);
    return this.#out.taken();
  }
}

/** At most 256 colours that stand for those of some pictures, the most frequent first. @param {Uint8ClampedArray[]} pictures red, green, blue and alpha */
export function palette(pictures) {
  /** @type {Map<number, { count: number, sum: number[] }>} */
  const found = new Map();
  for (const picture of pictures) {
    for (let at = 0; at < picture.length; at += 4) {
      const key = rough(picture[at], picture[at + 1], picture[at + 2]);
      const one = found.get(key) ?? { count: 0, sum: [0, 0, 0] };
      one.count += 1;
      for (const part of [0, 1, 2]) one.sum[part] += picture[at + part];
      found.set(key, one);
    }
  }
  const most = [...found.values()].sort((one, other) => other.count - one.count).slice(0, 256);
  return most.map(({ count, sum }) => sum.map((one) => Math.round(one / count)));
}

/** Five bits of each. @param {number} red @param {number} green @param {number} blue */
const rough = (red, green, blue) => ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3);

/** A function from a picture to indices into a palette: the nearest colour of each point. @param {number[][]} colours @returns {(picture: Uint8ClampedArray) => Uint8Array} */
export function indexer(colours) {
  /** @type {Map<number, number>} */
  const known = new Map();
  /** @param {number[]} wanted */
  const nearest = (wanted) => {
    const far = colours.map((one) => one.reduce((sum, part, at) => sum + (part - wanted[at]) ** 2, 0));
    return far.indexOf(Math.min(...far));
  };
  return (picture) => {
    const indices = new Uint8Array(picture.length / 4);
    for (let at = 0; at < indices.length; at += 1) {
      const wanted = [picture[4 * at], picture[4 * at + 1], picture[4 * at + 2]];
      const key = rough(wanted[0], wanted[1], wanted[2]);
      let index = known.get(key);
      if (index === undefined) known.set(key, (index = nearest(wanted)));
      indices[at] = index;
    }
    return indices;
  };
}
