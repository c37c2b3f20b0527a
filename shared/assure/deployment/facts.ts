// What AWS says of the resources on which recovery rests. Nothing here is remembered: a setting may have been changed by hand.
import type { BackupFacts } from '../../base/ports/facts.ts'
import { dynamodb } from '../../base/aws/dynamodb.ts'
import { env } from '../../base/lib/runtime.ts'

/** Null where the platform does not know recovery at all. A call that is refused throws. */
export async function backups(): Promise<BackupFacts | null> {
  const [recovery, bucket] = await Promise.all([recoveryOfTable(), lockOfBucket()])
  return recovery === undefined ? null : { recovery, ...bucket }
}

async function recoveryOfTable(): Promise<boolean | undefined> {
  const { DescribeContinuousBackupsCommand } = await import('../../base/aws/describe.ts')
  try {
    const answer = await dynamodb().send(new DescribeContinuousBackupsCommand({ TableName: env('TABLE_NAME') }))
    const { PointInTimeRecoveryDescription: state } = answer.ContinuousBackupsDescription ?? {}
    return state?.PointInTimeRecoveryStatus === 'ENABLED'
  } catch (error) {
    if (isNamed(error, 'UnknownOperationException')) return undefined
    throw error
  }
}

async function lockOfBucket(): Promise<Omit<BackupFacts, 'recovery'>> {
  const [{ s3 }, { GetBucketVersioningCommand, GetObjectLockConfigurationCommand }] = await Promise.all([
    import('../../base/aws/s3.ts'),
    import('../../base/aws/describe.ts'),
  ])
  const Bucket = env('EVIDENCE_BUCKET')
  const [{ Status }, lock] = await Promise.all([
    s3().send(new GetBucketVersioningCommand({ Bucket })),
    s3()
      .send(new GetObjectLockConfigurationCommand({ Bucket }))
      .catch((error: unknown) => {
        if (isNamed(error, 'ObjectLockConfigurationNotFoundError')) return undefined
        throw error
      }),
  ])
  const { ObjectLockEnabled, Rule } = lock?.ObjectLockConfiguration ?? {}
  const { Days = 0, Years = 0 } = Rule?.DefaultRetention ?? {}
  return { versions: Status === 'Enabled', lock: ObjectLockEnabled === 'Enabled', lock_days: Days + 365 * Years }
}

const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name
