// The pool's refresh token never leaves the service. It is stored sealed beside its session and deleted with it.
import { openBytes, sealBytes } from '../../ledger/sealing/seal.ts'
import type { Write } from '../../base/table/entity.ts'
import { type PoolToken, poolTokens, type Session } from './session.ts'

const ATTRIBUTE = 'sealed'

/** The write that stores the token, sealed. */
export async function storePoolToken({ sid, tenant_id, abs_exp }: Session, refresh_token: string): Promise<Write> {
  const sealed = await sealBytes(
    { tenant_id, mode: 'live' },
    poolTokens.key({ sid }),
    ATTRIBUTE,
    Buffer.from(refresh_token),
  )
  return poolTokens.insert({ sid, tenant_id, sealed, abs_exp })
}

/** The token in clear. */
export async function openPoolToken(of: PoolToken): Promise<string> {
  const space = { tenant_id: of.tenant_id, mode: 'live' } as const
  return (await openBytes(space, poolTokens.key(of), ATTRIBUTE, of.sealed)).toString()
}
