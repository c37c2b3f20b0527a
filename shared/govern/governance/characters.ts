// One pass over a text tells which kinds of characters it holds, so that a search begins only where it can find something.

/** Kinds of characters, as bits of a number. */
export const CHARACTERS = { digit: 1, address: 2, link: 4, code: 8 }

/** No character of a kind means: no mail address or IPv6 address, no link, no program but one that begins with a known word. */
const KINDS: readonly [kind: number, characters: RegExp][] = [
  [CHARACTERS.digit, /\d/],
  [CHARACTERS.address, /[@:]/],
  [CHARACTERS.link, /[/:%]/],
  [CHARACTERS.code, /[^ -~]|[#$(:;<=>{|]/],
]
const ALL = 15

const ASCII = 128
const kinds = Uint8Array.from({ length: ASCII }, (_, code) =>
  KINDS.reduce((all, [kind, characters]) => (characters.test(String.fromCharCode(code)) ? all | kind : all), 0),
)

/** The kinds of characters in a text. What is beyond ASCII may stand for any of them. */
export function charactersOf(text: string): number {
  let found = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    found |= code < ASCII ? (kinds[code] ?? 0) : ALL
  }
  return found
}
