// What somebody who opens a pack has to know.
import type { PackManifest } from './pack.ts'

export const readme = ({
  chain,
  range: { from, to },
  generated_at,
  verifier_keys,
}: Pick<PackManifest, 'chain' | 'range' | 'generated_at' | 'verifier_keys'>): string => `Evidence of ${chain}
Artifacts ${from} to ${to - 1} of its chain, exported ${generated_at}.

To check it you need Node 20 or newer, no network and no account:

  node verify.mjs .
  node verify.mjs . --strict
  node verify.mjs .${verifier_keys.map(({ verifier_key }) => ` --vkey '${verifier_key}'`).join('')}

Unpack into an empty folder: files that the pack does not list are refused. Take the key of the third
command from a source that you trust, not from this file: without a key from outside, whoever made the
pack could have made the key as well. Where there are several, the log went on from one to the next, and
both keys signed each change: one that you trust is enough. A verifier of your own, or one that you have
kept, is better than the one in the pack, for the same reason. FORMAT.md says how to write one.

If you hold an older checkpoint of this log, or know how many artifacts it had, let the pack be held
against that: --checkpoint <file>, --min-size <number>. The time under "made" in the report is proven by
the log; an older pack cannot have a later one.

What a verdict of "valid" (exit status 0) shows: nothing in this range was changed, removed, inserted or
reordered since it was signed. "valid_up_to" (3) shows that up to the number it states: artifacts behind it
are linked, but nothing signed covers them. What neither shows: that the recorded facts are true, or that
everything that happened was recorded.

Payloads, where they are included, are the ones that the artifacts committed to when they were made. A
payload that was erased since then is missing here, and an artifact of the log says that it was.
`
