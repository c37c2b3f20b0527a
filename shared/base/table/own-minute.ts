import { sha256 } from '../lib/json.ts'

const MINUTES_PER_DAY = 1_440

/**
 * The minute of the day in which a space does what it does once a day; what it does once an hour falls into the same minute
 * of each hour. Spaces are spread evenly, so no minute has much to do.
 */
export const ownMinute = ({ tenant_id, mode }: { tenant_id: string; mode: string }): number =>
  sha256(`${tenant_id}#${mode}`).readUInt16BE(0) % MINUTES_PER_DAY
