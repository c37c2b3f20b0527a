import type { FactAsk, KmsFacts } from '../../base/ports/facts.ts'
import { env } from '../../base/lib/runtime.ts'
import { kmsSettings } from '../../ledger/sealing/wrapped-key.ts'

/** A customer's key was last tried by the sweeper, at most a day ago; the service's own is asked for now. */
export async function kms({ ctx: { table, space } }: FactAsk): Promise<KmsFacts> {
  const settings = await table.get(kmsSettings, { tenant_id: space.tenant_id })
  if (settings && settings.key_arn !== null) {
    const state = settings.status === 'customer_managed' ? 'Enabled' : 'Unavailable'
    return { managed_by: 'customer', state, rotates: null }
  }
  const [{ kms: client, DescribeKeyCommand }, { GetKeyRotationStatusCommand }] = await Promise.all([
    import('../../base/aws/kms.ts'),
    import('../../base/aws/describe.ts'),
  ])
  const KeyId = env('SEAL_KEY_ID')
  const [described, rotation] = await Promise.all([
    client().send(new DescribeKeyCommand({ KeyId })),
    client().send(new GetKeyRotationStatusCommand({ KeyId })),
  ])
  const state = described.KeyMetadata?.KeyState ?? 'unknown'
  return { managed_by: 'service', state, rotates: rotation.KeyRotationEnabled ?? false }
}
