import { iso } from './clock.ts'

/** Every month (`yyyy-mm`) from one instant back to an earlier one, newest first. */
export function monthsBack(from: number, to: number): string[] {
  const months: string[] = []
  const date = new Date(from)
  date.setUTCDate(1)
  while (date.getTime() >= to || iso(date.getTime()).slice(0, 7) === iso(to).slice(0, 7)) {
    months.push(iso(date.getTime()).slice(0, 7))
    date.setUTCMonth(date.getUTCMonth() - 1)
  }
  return months
}
