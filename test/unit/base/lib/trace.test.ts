import { afterEach, describe, expect, test, vi } from 'vitest'
import { systemContext } from '../../../../shared/base/context.ts'
import { info } from '../../../../shared/base/lib/log.ts'
import { currentTrace, inTrace, traceIdOf, traceparentOf } from '../../../../shared/base/lib/trace.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const OTHER = 'a3ce929d0e0e47364bf92f3577b34da6'

afterEach(() => {
  delete process.env._X_AMZN_TRACE_ID
  vi.restoreAllMocks()
})

describe('the trace', () => {
  test('belongs to the work that runs under it, also across awaits and beside other work', async () => {
    const seen = (trace: string) =>
      inTrace(trace, async () => {
        await Promise.resolve()
        return currentTrace()
      })

    expect(await Promise.all([seen(TRACE), seen(OTHER)])).toEqual([TRACE, OTHER])
    expect(currentTrace()).toBeUndefined()
  })

  test('is that of the invocation where nothing else set one', () => {
    process.env._X_AMZN_TRACE_ID = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1'

    expect(currentTrace()).toBe('5759e988bd862e3fe1be46a994272793')
    expect(inTrace(TRACE, currentTrace)).toBe(TRACE)
  })

  test('is that of the contexts of a worker, each of which has one of its own elsewhere', () => {
    process.env.TABLE_NAME = 'table'
    const newOne = () => systemContext({ tenant_id: 'ten_1', mode: 'live' }).request.trace_id

    expect(inTrace(TRACE, newOne)).toBe(TRACE)
    expect(newOne()).not.toBe(newOne())
  })

  test('stands in log lines, but for those that name another one', () => {
    process.env.LOG_LEVEL = 'info'
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    inTrace(TRACE, () => info('counted'))
    inTrace(TRACE, () => info('counted', { trace_id: OTHER }))
    info('counted')
    const lines = write.mock.calls.map(([line]) => JSON.parse(String(line)))

    expect(lines.map(({ trace_id }) => trace_id)).toEqual([TRACE, OTHER, undefined])
  })
})

describe('traceparent', () => {
  test.each([
    [TRACE, `00-${TRACE}-4bf92f3577b34da6-01`],
    [`0000000000000000a3ce929d0e0e4736`, '00-0000000000000000a3ce929d0e0e4736-a3ce929d0e0e4736-01'],
  ])('of %s is valid and read back', (trace, header) => {
    expect(traceparentOf(trace)).toBe(header)
    expect(traceIdOf(header)).toBe(trace)
  })
})
