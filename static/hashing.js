// The SHA-256 of a file of any size, read piece by piece on the reader's own machine. The browser's
// own digest wants the whole file in memory, and is missing where a site is not served over HTTPS.

const BLOCK = 64;

const K = new Uint32Array(64);
const START = new Uint32Array(8);

// The first 32 bits of the fractional parts of cube and square roots of the first primes.
function fillConstants() {
  const fraction = (value) => Math.floor((value - Math.floor(value)) * 2 ** 32);
  for (let number = 2, found = 0; found < 64; number += 1) {
    let isPrime = true;
    for (let by = 2; by * by <= number; by += 1) if (number % by === 0) isPrime = false;
    if (!isPrime) continue;
    if (found < 8) START[found] = fraction(Math.sqrt(number));
    K[found] = fraction(Math.cbrt(number));
    found += 1;
  }
}
fillConstants();

const turn = (word, by) => (word >>> by) | (word << (32 - by));

export class Sha256 {
  constructor() {
    this.state = START.slice();
    this.words = new Uint32Array(64);
    this.rest = new Uint8Array(BLOCK);
    this.held = 0;
    this.size = 0;
  }

  update(bytes) {
    this.size += bytes.length;
    let at = 0;
    while (at < bytes.length) {
      if (this.held === 0 && bytes.length - at >= BLOCK) {
        this.mix(bytes, at);
        at += BLOCK;
        continue;
      }
      const taken = Math.min(BLOCK - this.held, bytes.length - at);
      this.rest.set(bytes.subarray(at, at + taken), this.held);
      this.held += taken;
      at += taken;
      if (this.held === BLOCK) {
        this.mix(this.rest, 0);
        this.held = 0;
      }
    }
  }

  hex() {
    const bits = this.size * 8;
    const end = new Uint8Array(this.held < 56 ? BLOCK - this.held : 2 * BLOCK - this.held);
    end[0] = 0x80;
    const view = new DataView(end.buffer);
    view.setUint32(end.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(end.length - 4, bits % 2 ** 32);
    this.update(end);
    return Array.from(this.state, (word) => word.toString(16).padStart(8, "0")).join("");
  }

  mix(bytes, at) {
    const w = this.words;
    for (let i = 0; i < 16; i += 1) {
      const j = at + 4 * i;
      w[i] = (bytes[j] << 24) | (bytes[j + 1] << 16) | (bytes[j + 2] << 8) | bytes[j + 3];
    }
    for (let i = 16; i < 64; i += 1) {
      const x = w[i - 15];
      const y = w[i - 2];
      const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
      const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    let [a, b, c, d, e, f, g, h] = this.state;
    for (let i = 0; i < 64; i += 1) {
      const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const one = (h + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
      const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    const s = this.state;
    s[0] += a; s[1] += b; s[2] += c; s[3] += d;
    s[4] += e; s[5] += f; s[6] += g; s[7] += h;
  }
}
