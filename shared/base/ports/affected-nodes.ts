// Which nodes incidents were about. Learning knows no incidents; the layer that has them fills this where functions are made.
import type { Context } from '../context.ts'

/** Ids of the nodes that incidents detected since then (ms) name. */
export type AffectedNodes = (ctx: Context, since: number) => Promise<string[]>
