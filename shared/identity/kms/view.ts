// A tenant's encryption key as the API shows it, with the statement that the policy of a customer's key needs.
import * as z from 'zod'
import { env } from '../../base/lib/runtime.ts'
import { KMS_STATUSES, type KmsSettings, REWRAP_STATUSES } from '../../ledger/sealing/wrapped-key.ts'

const Statement = z.object({
  Sid: z.string().describe('Name of the statement.'),
  Effect: z.literal('Allow').describe('Whether the statement allows or denies.'),
  Principal: z
    .object({ AWS: z.string().describe('ARN of the account of this deployment.') })
    .describe('The account that the statement applies to.'),
  Action: z.array(z.string()).describe('The operations of KMS that the statement allows.'),
  Resource: z.literal('*').describe('The key that the policy belongs to.'),
  Condition: z
    .record(z.string(), z.record(z.string(), z.string()))
    .describe('The conditions under which the statement applies.'),
})

export const KmsView = z.object({
  status: z.enum(KMS_STATUSES).describe('The current state.'),
  key_arn: z.string().nullable().describe('ARN of the KMS key. Null: the key of the service.'),
  last_checked_at: z.string().nullable().describe('When it was last checked.'),
  rewrap: z
    .object({
      status: z.enum(REWRAP_STATUSES).describe('The current state.'),
      done: z.int().describe('The number of completed items.'),
      total: z.int().describe('The total number of items.'),
    })
    .describe('The progress of moving the data keys to the new key.'),
  /** Statements to add to the policy of the tenant's key. */
  required_statement: z.array(Statement).describe('The statement that the policy of the key must contain.'),
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
