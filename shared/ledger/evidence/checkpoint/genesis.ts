// The genesis of a tenant's two chains, written together with the tenant. It fixes the host and the signing key, so a chain
// of another host or tenant cannot pass for this one.
import type { Space } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { env } from '../../../base/lib/runtime.ts'
import type { Write } from '../../../base/table/entity.ts'
import { MODES } from '../../../base/table/members.ts'
import { geneses, genesisKey, headKey, heads } from '../chain/chain.ts'
import { chainName, genesisLink } from '../artifact/hashes.ts'
import { type SigningKey, signingKey } from './signing-key.ts'

/** The writes that found both chains of a new tenant. `at` is in ms. */
export async function genesisWrites(tenant_id: string, at: number): Promise<Write[]> {
  const key = await signingKey()
  return MODES.flatMap((mode) => foundChain({ tenant_id, mode }, at, key))
}

function foundChain(space: Space, at: number, { spki, spkiSha256: key_spki_sha256 }: SigningKey): Write[] {
  const genesis = { chain: chainName(space), origin: env('EVIDENCE_ORIGIN'), created_at: iso(at), key_spki_sha256 }
  const empty = { size: 0, last: genesisLink(genesis), frontier: [], last_block: 0, finalized: 0, counts: {} }
  return [geneses.insert({ ...genesisKey(space), ...genesis, spki }), heads.insert({ ...headKey(space), ...empty })]
}
