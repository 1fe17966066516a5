"""The wires' languages, without input or output: each module is fed octets and gives events, and turns events into octets."""
