// JSON lines on standard output, each with the trace it belongs to. Only values that a caller names are logged.
import { currentTrace } from './trace.ts'

const LEVELS = ['info', 'warn', 'error', 'off'] as const
type Level = Exclude<(typeof LEVELS)[number], 'off'>
type Fields = Record<string, string | number | boolean | undefined>

const wanted = (level: Level) =>
  LEVELS.indexOf(level) >= LEVELS.findIndex((known) => known === (process.env.LOG_LEVEL ?? 'info'))

const write = (level: Level, event: string, fields: Fields) => {
  if (!wanted(level)) return
  const trace_id = fields.trace_id ?? currentTrace()
  process.stdout.write(`${JSON.stringify({ level, event, ...fields, trace_id })}\n`)
}

/** A line of a format of its own, with the level of information. */
export const print = (line: object): void => {
  if (wanted('info')) process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** Name, message and first stack frames of an error. Their texts are ours or the SDK's, never a caller's payload. */
const describe = (error: unknown): Fields =>
  error instanceof Error
    ? { error: error.name, message: error.message, stack: error.stack?.split('\n').slice(1, 6).join('|') }
    : { error: String(error) }

export const info = (event: string, fields: Fields = {}): void => write('info', event, fields)
export const warn = (event: string, error: unknown, fields: Fields = {}): void =>
  write('warn', event, { ...fields, ...describe(error) })

type Listener = (event: string, error: unknown, fields: Fields) => void
let listener: Listener = () => {}

/** Hears each alarm beside the log, with the error itself. For harnesses only. */
export function onAlarm(next: Listener): void {
  listener = next
}

export function alarm(event: string, error: unknown, fields: Fields = {}): void {
  listener(event, error, fields)
  write('error', event, { ...fields, ...describe(error) })
}
