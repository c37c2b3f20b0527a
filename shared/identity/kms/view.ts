import * as z from 'zod'
import { env } from '../../base/lib/env.ts'
import { KMS_STATUSES, type KmsSettings, REWRAP_STATUSES } from '../../ledger/sealing/settings.ts'

const Statement = z.object({
  Sid: z.string(),
  Effect: z.literal('Allow'),
  Principal: z.object({ AWS: z.string() }),
  Action: z.array(z.string()),
  Resource: z.literal('*'),
  Condition: z.record(z.string(), z.record(z.string(), z.string())),
})

export const KmsView = z.object({
  status: z.enum(KMS_STATUSES),
  key_arn: z.string().nullable(),
  last_checked_at: z.string().nullable(),
  rewrap: z.object({ status: z.enum(REWRAP_STATUSES), done: z.int(), total: z.int() }),
  /** Statements to add to the policy of the tenant's key. */
  required_statement: z.array(Statement),
})
export type KmsView = z.input<typeof KmsView>

export const kmsView = (tenant_id: string, settings: KmsSettings | undefined): KmsView => ({
  status: settings?.status ?? 'service_managed',
  key_arn: settings?.key_arn ?? null,
  last_checked_at: settings?.last_checked_at ?? null,
  rewrap: settings?.rewrap ?? { status: 'none', done: 0, total: 0 },
  required_statement: requiredStatement(tenant_id, env('SEALING_ROLES')),
})

/**
 * Lets the functions use the key for this tenant's data only. A key policy cannot name principals by a pattern, so it names
 * the account and narrows it to the functions' roles. `DescribeKey` has no encryption context, so it needs a statement of its
 * own.
 */
export function requiredStatement(tenant_id: string, roles: string): z.input<typeof Statement>[] {
  const common = { Effect: 'Allow', Principal: { AWS: roles.replace(/role\/.*$/, 'root') }, Resource: '*' } as const
  const ArnLike = { 'aws:PrincipalArn': roles }
  return [
    {
      Sid: 'CountersignDataKeys',
      ...common,
      Action: ['kms:Decrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
      Condition: { ArnLike, StringEquals: { 'kms:EncryptionContext:tenant_id': tenant_id } },
    },
    { Sid: 'CountersignLook', ...common, Action: ['kms:DescribeKey'], Condition: { ArnLike } },
  ]
}
