import { describe, expect, test } from 'vitest'
import { API_VERSION } from '../../../../shared/base/catalog/event-types.ts'
import { envelope, type EventDraft, eventId, stamped } from '../../../../shared/ledger/events/event.ts'
import { EVENT_SCHEMAS } from '../../../../shared/ledger/events/schemas.ts'

const space = { tenant_id: 'ten_1', mode: 'live' } as const
const subject = { id: 'exe_1', version: 2 }
const actor = { type: 'api_key', id: 'key_1' } as const
const artifact = { id: 'art_1', hash: 'sha256:00' }

const executed: EventDraft = {
  type: 'protocol.executed',
  subject,
  data: { request_id: 'exe_1', node_id: 'a.b.c', action_id: 'send', tier: 'AUTO', status: 'approved', latency_ms: 3 },
}
const approved: EventDraft = {
  type: 'action.approved',
  subject,
  data: {
    action_id: 'send',
    action_type: 'email',
    approved_by: 'policy:pol_1',
    approval_method: 'automatic',
    agent_id: '',
    risk_tier: 'SOFT',
  },
}
const undone: EventDraft = {
  type: 'execution.undone',
  subject,
  data: {
    request_id: 'exe_1',
    node_id: 'a.b.c',
    action_id: 'send',
    undone_by: 'usr_1',
    undo_action_id: null,
    undo_request_id: null,
    compensation: 'caller',
  },
}

describe('the id of an event', () => {
  const event = { type: 'protocol.executed', subject } as const

  test('follows from what it speaks of, in the published form', () => {
    expect(eventId(space, event)).toMatch(/^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
    expect(eventId(space, event)).toBe(eventId(space, { ...event }))
  })

  test('is the base32 of a digest over tenant, mode, subject, type and version', () => {
    // SHA-256("ten_1#live\nexe_1\nprotocol.executed\n2"), first 16 bytes, computed with other tools.
    expect(eventId(space, event)).toBe('evt_56JN9FK2WFYEQ4HBNE2FFQ8QXB')
  })

  test('differs by tenant, mode, subject, type and version', () => {
    const ids = [
      eventId(space, event),
      eventId({ ...space, tenant_id: 'ten_2' }, event),
      eventId({ ...space, mode: 'test' }, event),
      eventId(space, { ...event, type: 'action.approved' }),
      eventId(space, { ...event, subject: { ...subject, id: 'exe_2' } }),
      eventId(space, { ...event, subject: { ...subject, version: 3 } }),
    ]

    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('the stamp of a committed event', () => {
  test.each([executed, approved, undone])('completes $type to its schema', (draft) => {
    const event = stamped(draft, actor, artifact)

    expect(EVENT_SCHEMAS[event.type].schema.parse(event.data)).toEqual(event.data)
  })

  test('is the artifact’s hash, its id, or actor and id', () => {
    expect(stamped(executed, actor, artifact).data).toMatchObject({ evidence_hash: 'sha256:00' })
    expect(stamped(approved, actor, artifact).data).toMatchObject({ evidence_artifact_id: 'art_1' })
    expect(stamped(undone, actor, artifact).data).toMatchObject({ actor, evidence_artifact_id: 'art_1' })
  })
})

describe('the envelope', () => {
  const event = stamped(executed, actor, artifact)

  test('carries the members of both published shapes on protocol.executed', () => {
    expect(envelope(space, API_VERSION, Date.UTC(2026, 10, 20, 22, 37, 0, 123), event)).toEqual({
      id: eventId(space, event),
      type: 'protocol.executed',
      event: 'protocol.executed',
      timestamp: '2026-11-20T22:37:00.123Z',
      tenant_id: 'ten_1',
      version: API_VERSION,
      data: event.data,
    })
  })

  test('has no second name for the type elsewhere', () => {
    expect(envelope(space, API_VERSION, 0, stamped(undone, actor, artifact))).not.toHaveProperty('event')
  })
})
