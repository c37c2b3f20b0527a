import { env } from '../../base/lib/runtime.ts'
import { type Failure, invalid } from '../../base/lib/failure.ts'

/** Key ids are UUIDs; those of multi-region keys are not. */
const KEY_ARN = /^arn:aws[a-z-]*:kms:([a-z0-9-]+):(\d{12}):key\/([0-9a-f-]{36}|mrk-[0-9a-f]{32})$/

const refuse = (why: string): Failure => invalid(['key_arn'], why)

/** Throws 422 unless it is the ARN of a KMS key in our region that is not the service's own key. */
export function mustBeKeyArn(arn: string): void {
  if (/^arn:aws[a-z-]*:kms:[^:]*:[^:]*:alias\//.test(arn)) throw refuse('must be the ARN of a key, not of an alias')
  const region = KEY_ARN.exec(arn)?.[1]
  if (region === undefined) throw refuse('must be the ARN of a KMS key')
  if (region !== env('REGION')) throw refuse(`must be a key in ${env('REGION')}`)
  if (arn === env('SEAL_KEY_ID')) throw refuse("must not be the service's own key; send null to use that one")
}

/** Account and id of a key, for display. */
export function partsOf(arn: string): { account: string; key: string } {
  const [, , account = '', key = ''] = KEY_ARN.exec(arn) ?? []
  return { account, key }
}
