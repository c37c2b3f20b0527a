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

Take the key of the third command from a source that you trust, not from this file: without a key from
outside, whoever made the pack could have made the key as well. Where there are several, the log went on
from one to the next: the first checkpoint under a new key is signed by the old one as well, and covers
the artifact evidence.key.rotated, which names both. A verifier of your own, or one that you
have kept, is better than the one in the pack, for the same reason.

What a verdict of "valid" shows: nothing in this range was changed, removed, inserted or reordered since
it was signed (up to "anchored_through"; "unanchored" artifacts behind it are linked but not yet signed).
What it does not show: that the recorded facts are true, or that everything that happened was recorded.

Payloads, where they are included, are the ones that the artifacts committed to when they were made. A
payload that was erased since then is missing here, and the chain is as valid as before.
`
