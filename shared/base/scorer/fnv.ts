const OFFSET = 0x811c9dc5
const PRIME = 0x01000193
const utf8 = new TextEncoder()

/** FNV-1a of 32 bits over the UTF-8 of a text, as a signed number. It goes on from the hash of the text before, if there is one. */
export function fnv1a(text: string, before = OFFSET): number {
  let hash = before
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit >= 0x80) return overBytes(hash, text.slice(at))
    hash = Math.imul(hash ^ unit, PRIME)
  }
  return hash
}

/** The slower way, from the first character on that takes more than one byte. */
function overBytes(start: number, text: string): number {
  let hash = start
  for (const byte of utf8.encode(text)) hash = Math.imul(hash ^ byte, PRIME)
  return hash
}
