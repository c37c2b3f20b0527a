import { iso } from './clock.ts'

/** `yyyy-mm` of every month from one instant back to another. */
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
