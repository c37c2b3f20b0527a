import { beforeEach, describe, expect, test } from 'vitest'
import {
  type ArtifactFacts,
  newArtifact,
  newArtifacts,
} from '../../../../../shared/ledger/evidence/artifact/artifact.ts'
import { artifactHash, publicHash } from '../../../../../shared/ledger/evidence/artifact/hashes.ts'
import { Header } from '../../../../../shared/ledger/evidence/artifact/header.ts'
import { commitWith } from '../../../../../shared/ledger/evidence/artifact/record.ts'
import { unpackEvents } from '../../../../../shared/ledger/events/outbox.ts'
import { canonicalJson } from '../../../../../shared/base/lib/json.ts'
import { bytesOf } from '../../../../support/storable.ts'
import { facts, foundedWorld, SPACE, TABLE, type World } from '../world.ts'

let it: World
beforeEach(async () => {
  it = await foundedWorld()
})

const ofType = (type: string) => it.table.items(TABLE).filter((item) => item._type?.S === type)
const eventsOf = (item = ofType('OUTBOX')[0]) => unpackEvents(item?.events?.S ?? '').events

/** What an executed AUTO action of an agent records, with ids of their real length. */
const execution: ArtifactFacts = {
  type: 'protocol.executed',
  subject: { type: 'execution', id: 'exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R' },
  request_id: 'exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R',
  agent_id: 'agt_support',
  creator: 'usr_01JD3Q8Z5N1B3D5F7H9K1N3Q5S',
  node_id: 'crm.contacts.editor',
  action_id: 'update_contact',
  version: '1.4.2',
  decision: {
    tier: 'AUTO',
    kind: 'read',
    risk: 35,
    strategy: 'manifest',
    reasons: ['verb'],
    policy_set_version: 'a'.repeat(64),
  },
  policies_passed: 4,
  outcome: 'succeeded',
  latency_ms: 84,
  retries: 0,
  payload_commitment: 'b'.repeat(64),
}

describe('an artifact', () => {
  test('is canonical, complete and hashed as it is stored', () => {
    const artifact = newArtifact(it.ctx, facts())
    const header: unknown = JSON.parse(artifact.header)

    expect(Header.parse(header)).toMatchObject({ v: 1, chain: `${SPACE.tenant_id}/live`, type: 'manifest.registered' })
    expect(canonicalJson(header)).toBe(artifact.header)
    expect(artifact.hash).toBe(publicHash(artifactHash(artifact.header)))
  })

  test('names its subject unless that is the execution', () => {
    const [registered, executed] = newArtifacts(it.ctx, facts(), execution)

    expect(JSON.parse(registered.header)).toMatchObject({ subject: { type: 'node', id: 'crm.contacts.editor' } })
    expect(JSON.parse(executed.header)).not.toHaveProperty('subject')
  })

  test('of an executed action has a header of at most 850 bytes and an item below 1 KiB', async () => {
    const artifact = newArtifact(it.ctx, execution)
    await it.ctx.table.commit(commitWith(it.ctx, [{ artifact }]))

    expect(artifact.header.length).toBeLessThanOrEqual(850)
    expect(ofType('EV').map(bytesOf)[0]).toBeLessThan(1_024)
    expect(ofType('POINTER').map(bytesOf)[0]).toBeLessThan(256)
  })

  test('of the same commit comes in the order in which it was made', () => {
    const made = newArtifacts(it.ctx, ...Array.from({ length: 20 }, () => facts({ at: 0 })))
    const ids = made.map(({ artifact_id }) => artifact_id)

    expect(ids).toEqual(ids.toSorted())
  })
})

describe('a commit', () => {
  test('stores artifacts and pending pointers, and reports their types', async () => {
    const [requested, executed] = newArtifacts(it.ctx, { ...execution, type: 'action.requested' }, execution)
    await it.ctx.table.commit(commitWith(it.ctx, [{ artifact: requested }, { artifact: executed }]))

    expect(ofType('EV').map((item) => item.header?.S)).toEqual(
      expect.arrayContaining([requested.header, executed.header]),
    )
    expect(ofType('POINTER')).toHaveLength(2)
    expect(it.ctx.table.committed).toEqual(['action.requested', 'protocol.executed'])
  })

  test('has one outbox item: evidence.emitted of each artifact first, then the events in order', async () => {
    const [approved, executed] = newArtifacts(it.ctx, { ...execution, type: 'approval.approved' }, execution)
    const subject = { id: execution.subject.id, version: 2 }
    const acted = { request_id: subject.id, node_id: 'a.b.c', action_id: 'd' }
    await it.ctx.table.commit(
      commitWith(it.ctx, [
        {
          artifact: approved,
          events: [
            {
              type: 'action.approved',
              subject,
              data: {
                action_id: 'd',
                action_type: 'update',
                approved_by: 'usr_1',
                approval_method: 'manual',
                agent_id: '',
                risk_tier: 'HARD',
              },
            },
          ],
        },
        {
          artifact: executed,
          events: [
            { type: 'protocol.executed', subject, data: { ...acted, tier: 'HARD', status: 'approved', latency_ms: 9 } },
          ],
        },
      ]),
    )

    expect(ofType('OUTBOX')).toHaveLength(1)
    const events = eventsOf()
    expect(events.map(({ type }) => type)).toEqual([
      'evidence.emitted',
      'evidence.emitted',
      'action.approved',
      'protocol.executed',
    ])
    expect(events[0]?.data).toMatchObject({ artifact_id: approved.artifact_id, hash: approved.hash })
    expect(events[2]?.data).toMatchObject({ evidence_artifact_id: approved.artifact_id })
    expect(events[3]?.data).toMatchObject({ evidence_hash: executed.hash })
  })

  test('carries its measures beside the events', async () => {
    const artifact = newArtifact(it.ctx, execution)
    await it.ctx.table.commit(commitWith(it.ctx, [{ artifact }], { measures: [['a'], ['u', 1]] }))

    const packed = unpackEvents(ofType('OUTBOX')[0]?.events?.S ?? '')
    expect(packed.measures).toEqual([['a'], ['u', 1]])
    expect(packed.events.map(({ type }) => type)).toEqual(['evidence.emitted'])
  })

  test('that fails leaves neither artifact nor event', async () => {
    const artifact = newArtifact(it.ctx, execution)
    await it.ctx.table.commit(commitWith(it.ctx, [{ artifact }]))
    const before = it.table.items(TABLE).length

    const other = newArtifact(it.ctx, execution)
    const writes = [...commitWith(it.ctx, [{ artifact: other }]), ...commitWith(it.ctx, [{ artifact }])]
    await expect(it.ctx.table.commit(writes)).rejects.toThrow('condition')

    expect(it.table.items(TABLE)).toHaveLength(before)
  })
})
