// Names of files that people uploaded, made safe for a path in an archive: no folder, no control character, no name that a system
// reserves.
const LENGTH_MAX = 100

/** Device names of Windows, with or without an ending. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/** Only letters, digits, `_`, `-` and single dots inside, at most 100 characters. */
export function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const plain = last.replaceAll(/[^A-Za-z0-9._-]/g, '_').replaceAll(/\.{2,}/g, '.')
  const named = plain.replace(/^\./, '').replace(RESERVED, '_$&')
  return named.slice(0, LENGTH_MAX).replace(/\.$/, '') || 'file'
}
