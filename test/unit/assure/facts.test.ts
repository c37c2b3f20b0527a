import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AwsError } from '../../../infra/local/aws-error.ts'
import { erasures } from '../../../shared/assure/erasure/erasure.ts'
import { exports } from '../../../shared/assure/exports/export.ts'
import { assureFacts } from '../../../shared/assure/compliance-facts.ts'
import { resetClients } from '../../../shared/base/aws/clients.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { wholeRange } from '../../../shared/base/table/whole.ts'
import { BUCKET, type StandIns, startStandIns } from '../../support/stand-ins.ts'
import { type Deployment, deploy } from '../edge/deployment.ts'

describe('facts about recovery', () => {
  let standIns: StandIns
  beforeAll(async () => {
    standIns = await startStandIns()
    Object.assign(process.env, {
      TABLE_NAME: 'countersign',
      EVIDENCE_BUCKET: BUCKET,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_S3: standIns.url,
      AWS_ENDPOINT_URL_DYNAMODB: standIns.url,
    })
    resetClients()
  })
  afterAll(() => standIns.stop())

  const answering = (answer: () => object, locked = {}) =>
    standIns.serve({ 'DynamoDB_20120810.DescribeContinuousBackups': answer }, { locked })
  const recovery = (PointInTimeRecoveryStatus: string) => () => ({
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus },
    },
  })

  test('are what DynamoDB and S3 say now', async () => {
    answering(recovery('ENABLED'), { [BUCKET]: 2_555 })
    expect(await assureFacts.backups()).toEqual({ recovery: true, versions: true, lock: true, lock_days: 2_555 })

    answering(recovery('DISABLED'))
    expect(await assureFacts.backups()).toEqual({ recovery: false, versions: false, lock: false, lock_days: 0 })
  })

  test('are none where the platform has no such thing', async () => {
    standIns.serve({})

    expect(await assureFacts.backups()).toBeNull()
  })

  test('are not made up where a call is refused', async () => {
    answering(() => {
      throw new AwsError('AccessDeniedException', 'not authorized to perform dynamodb:DescribeContinuousBackups')
    })

    await expect(assureFacts.backups()).rejects.toMatchObject({ name: 'AccessDeniedException' })
  })
})

describe('facts about what should be gone', () => {
  let it: Deployment
  beforeEach(async () => {
    it = await deploy()
  })
  const ask = () => ({ ctx: it.ctx, now: it.clock.now(), since: 0 })
  const at = iso(Date.UTC(2026, 10, 10))

  test('are the erasures that still run', async () => {
    const common = { ...it.space, reason: 'asked', artifact_id: 'art_1', payloads: 1 }
    const more = { requested_at: at, backups_clear_at: null }
    await it.ctx.table.commit([
      erasures.insert({ ...common, ...more, id: 'ers_1', status: 'running', subject_ref: 's' }),
      erasures.insert({ ...common, ...more, id: 'ers_2', status: 'completed', subject_ref: 's' }),
    ])

    expect(await assureFacts.erasures(ask())).toEqual([{ id: 'ers_1', requested_at: at }])
  })

  test('are the oldest file alone, with the time at which it should be gone', async () => {
    const file = (id: string, requested_at: string) =>
      exports.insert({
        ...it.space,
        id,
        status: 'failed',
        ask: { type: 'evidence', include_payloads: false },
        requested_by: { type: 'user', id: 'usr_1' },
        requested_at,
        artifact: { id: 'art_1', hash: '' },
        attempt: 1,
      })
    await it.ctx.table.commit([file('exp_2', iso(Date.UTC(2026, 10, 12))), file('exp_1', at)])

    expect(await assureFacts.oldest_files(ask())).toEqual([{ id: 'exp_1', until: iso(Date.UTC(2026, 10, 17)) }])
  })

  test('a range that holds more than a reader takes throws, because half of it would pass for all', async () => {
    const range = { pk: 'T#ten_1#live#ERASURES', index: 'gsi1' } as const
    const some = (id: string) =>
      erasures.insert({
        ...it.space,
        id,
        status: 'running',
        reason: 'asked',
        artifact_id: 'art_1',
        payloads: 1,
        requested_at: at,
        backups_clear_at: null,
      })
    await it.ctx.table.commit(['ers_1', 'ers_2', 'ers_3'].map(some))

    expect(await wholeRange(it.ctx.table, erasures, range, 3)).toHaveLength(3)
    await expect(wholeRange(it.ctx.table, erasures, range, 2)).rejects.toThrow('holds more than 2 items')
  })
})
