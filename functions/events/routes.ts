import { area, get, read } from '../../shared/base/wire/route.ts'

const reads = { host: 'both', access: 'executions:read', rate: 'global' } as const

export const events = area('events', {
  list: read('/api/v1/events', {
    ...reads,
    summary:
      'Lists events, oldest first. `next_cursor` is always set: use it for the next request. `from=now` starts at the end.',
  }),
  stream: get('/api/v1/events/stream', {
    ...reads,
    uses: [{ table: 'write' }],
    evidence: { none: 'it only writes the slot of the stream' },
    stream: true,
    timeoutSeconds: 900,
    summary:
      'Streams new events as server-sent events. The stream ends after 14 minutes; `Last-Event-ID` resumes it. An event `reset` comes first where events may have been missed: those that are older than the log keeps, or after an id that it never gave.',
  }),
})
