// Words that make a reader stop: private ones where the field has one, and pronouns where a noun belongs. For each, what to
// write instead.
import type { Passage } from './documents.ts'

/** In comments and pages. */
export const BANNED_WORDS: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\btold\b/i, 'name the noun: sent, reported, known to'],
  [/\btells?\b(?! (?:apart|from))/i, 'reports, sends, shows'],
  [/\bwhoever\b/i, 'name who it is'],
  [/\bwhatever\b/i, 'name what it is'],
  [/\bstands? (?:for|behind|against)\b/i, 'means, represents, vouches for'],
  [/\bh[eo]ld(?:s|ing)?\b[^.]{0,30}\bagainst\b/i, 'compares with'],
  [/\bof what\b/i, 'name the noun'],
]

/** What a file is not to be called: its name says nothing to somebody who opens the folder for the first time. */
export const BANNED_FILES = /\/(?:between|after|until|own|standing|counted|facts|after-[\w-]+|ended-[\w-]+)\.ts$/

/** Names of code that a word of the field has replaced. */
export const BANNED_NAMES =
  /^export (?:async )?(?:const|function|class|type) (Binding|counting|counted|marks|recorded|judgedAgain|toldOf|told|ballot|Overtaken|standing)\b/gm

export const bannedWords = ({ path, line, text }: Passage): string[] =>
  text
    .split('\n')
    .flatMap((part, at) =>
      BANNED_WORDS.filter(([words]) => words.test(part)).map(
        ([words, instead]) => `${path}:${line + at} says "${words.exec(part)?.[0]}": ${instead}`,
      ),
    )
