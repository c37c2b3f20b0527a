// The README of a pack, for the person who opens it.
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

Unpack into an empty folder: the verifier refuses files that the pack does not list. Take the key of the
third command from a source that you trust, not from this file. A key from the pack proves nothing about
the maker of the pack, who could have made the key as well. Several keys mean that the log changed its key;
the old and the new key both signed each change, so one key that you trust is enough. For the same reason,
prefer a verifier of your own, or one that you have kept, to the one in the pack. FORMAT.md describes how
to write one.

If you hold an older checkpoint of this log, or know how many artifacts it had, compare the pack with that:
--checkpoint <file>, --min-size <number>. The log proves the time under "made" in the report, so nobody can
give an older pack a later time.

A verdict of "valid" (exit status 0) proves that nothing in this range was changed, removed, inserted or
reordered since it was signed. "valid_up_to" (3) proves the same up to the stated number; the artifacts
after it are linked, but not yet signed. Neither verdict proves that the recorded facts are true, or that
everything that happened was recorded.

The payloads, if included, are those that the artifacts committed to when they were made. A payload that
was erased since then is not in the pack. An artifact of the log proves its erasure.
`
