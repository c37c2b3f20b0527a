import { area, get, read } from '../../shared/base/wire/route.ts'

const reads = { host: 'both', access: 'executions:read', rate: 'global' } as const

export const events = area('events', {
  list: read('/api/v1/events', {
    ...reads,
    summary:
      'Events in their order, oldest first. `next_cursor` is always set: keep asking with it. `from=now` begins at the end.',
  }),
  stream: get('/api/v1/events/stream', {
    ...reads,
    uses: [{ table: 'write' }],
    evidence: { none: 'only the place of the stream itself is written' },
    stream: true,
    timeoutSeconds: 900,
    summary: 'Events as they happen, as server-sent events. It ends after 14 minutes; `Last-Event-ID` resumes it.',
  }),
})
