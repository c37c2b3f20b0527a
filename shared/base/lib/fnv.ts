const OFFSET = 0x81_1c_9d_c5
const PRIME = 0x01_00_01_93

/** FNV-1a, 32 bits, over the UTF-8 bytes of a text. Not cryptographic: it spreads names over buckets. */
export function fnv1a32(text: string): number {
  let hash = OFFSET
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, PRIME)
  return hash >>> 0
}
