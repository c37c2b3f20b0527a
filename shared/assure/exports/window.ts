// The window of an export: its bounds as a caller sends them, and as a period of at most 366 days.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import * as z from 'zod'
import { Failure } from '../../base/lib/failure.ts'

/** From `start_at` up to and without `end_at`; ISO 8601, UTC, milliseconds. */
export type Window = { start_at: string; end_at: string }

export const WINDOW_DAYS = { default: 30, max: 366 } as const

const Instant = z.iso.datetime({ offset: true })

export const WindowQuery = z.object({
  start_at: Instant.optional()
    .describe('From this time on, ISO 8601; default: `window_days` before now.')
    .meta({ examples: ['2026-10-01T00:00:00.000Z'] }),
  end_at: Instant.optional()
    .describe('Before this time, ISO 8601; default: now.')
    .meta({ examples: ['2026-11-01T00:00:00.000Z'] }),
  window_days: z
    .string()
    .regex(/^\d+$/)
    .transform(Number)
    .pipe(z.int().min(1).max(WINDOW_DAYS.max))
    .optional()
    .describe('The number of days before now, if neither `start_at` nor `end_at` is given.'),
})

type Asked = { start_at?: string | undefined; end_at?: string | undefined; window_days?: number | undefined }

/** `window_days` counts back from now. It applies only when both times are absent. */
export function windowOf({ start_at, end_at, window_days = WINDOW_DAYS.default }: Asked, now: number): Window {
  if (start_at === undefined && end_at !== undefined) throw refused('start_at', 'is needed with end_at')
  const end = end_at === undefined ? now : Date.parse(end_at)
  const start = start_at === undefined ? end - window_days * DAY_MS : Date.parse(start_at)
  if (end <= start) throw refused('end_at', 'must be after start_at')
  return { start_at: iso(start), end_at: iso(end) }
}

const refused = (name: string, msg: string) =>
  new Failure('invalid', [{ loc: ['query', name], msg, type: 'value_error' }])
