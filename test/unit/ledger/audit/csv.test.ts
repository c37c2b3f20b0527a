import { expect, test } from 'vitest'
import { auditCsv } from '../../../../shared/ledger/audit/log.ts'

const ONE = { next: null, bom: false }

const entry = (text: string) => ({
  id: 'aud_1',
  at: '2026-11-22T00:00:00.000Z',
  actor: { type: 'user', id: 'u' },
  action: 'api_key.created',
  resource: { type: 'api_key', id: 'key_1', name: text },
  outcome: 'success' as const,
  request_id: 'req_1',
  trace_id: 't',
  ip: '',
  user_agent: text,
  changes: [{ path: 'name', before: null, after: text }],
  environment: 'live' as const,
})

test.each(['=1+1', '+1', '-1', '@x', '\t=1', '\r\n=1', '＝1'])('no cell begins like a formula: %j', (text) => {
  const cells = String(auditCsv([entry(text)], ONE).body).split('\r\naud_1,')[1] ?? ''

  expect(cells).toContain(`'${text}`)
  expect(cells).not.toContain(`,${text}`)
})

test('quotes and line ends stay inside their cell', () => {
  const { body } = auditCsv([entry('a "b"\r\nc,d')], ONE)

  expect(String(body)).toContain(',"a ""b""\r\nc,d",')
})

test('400: rows that no answer could carry', () => {
  const long = Array.from({ length: 1_000 }, () => entry('x'.repeat(2_000)))

  expect(() => auditCsv(long, ONE)).toThrow(expect.objectContaining({ kind: 'malformed' }))
  expect(auditCsv(long.slice(0, 500), ONE).status).toBe(200)
})
