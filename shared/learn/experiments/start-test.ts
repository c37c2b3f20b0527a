// Starts an A/B test.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { learnedItems } from '../../govern/learned/learned.ts'
import { readModel } from '../../govern/learned/load-model.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { findModel, slots } from '../models/model.ts'
import { findSlot } from '../models/move-model.ts'
import { wasApproved } from '../models/was-approved.ts'
import { type AbTest, findAbTest, moveTest } from './ab-test.ts'

export const LOOK_EVERY_MS = 3_600_000

/**
 * Starts a draft: from the commit on, decisions ask both models. Throws 409 unless A is deployed, B can be read, people approved B
 * where it is to act, and nothing else happens to the slot. The transaction fails when the slot was changed meanwhile, so of two
 * tests of a slot one gets the 409.
 */
export const startTest = (ctx: Context, id: string): Promise<Stored<AbTest>> =>
  retryWhenChanged(async () => {
    const was = await findAbTest(ctx, id)
    if (was.status !== 'draft') throw conflict(`The test is ${was.status}. Only a draft can be started.`)
    const [slot, b, learned] = await Promise.all([
      findSlot(ctx, was.slot),
      findModel(ctx, was.model_b_id),
      ctx.table.get(learnedItems, ctx.space),
    ])
    const placed = learned?.slots[was.slot]
    if (!learned || !placed || slot.deployed !== was.model_a_id || placed.model_id !== was.model_a_id)
      throw conflict(`The model ${was.model_a_id} is not deployed in the slot ${was.slot}.`)
    if (slot.open) throw conflict(`The slot ${was.slot} has an open deployment, of ${slot.open.model_id}.`)
    if (placed.test) throw conflict(`The test ${placed.test.id} runs on the slot ${was.slot}. Complete it first.`)
    if (!was.shadow && !(await wasApproved(ctx, b, slot)))
      throw conflict(`The model ${b.id} was never approved. Only a model that people approved may decide for a share.`)
    await readModel(ctx.space, ctx.now(), b.artifact).catch((error: unknown) => {
      throw conflict(`The model ${b.id} cannot be read.`, { cause: error })
    })
    const { sha256, uri } = b.artifact
    const test = {
      id,
      model_id: b.id,
      version: b.model_version,
      sha256,
      uri,
      split_b: was.split_b,
      unit: was.unit,
      shadow: was.shadow,
    }
    const now = ctx.now()
    const change = { started_at: iso(now), due_at: iso(now + LOOK_EVERY_MS) }
    const { item, write, transition } = moveTest(ctx, was, 'running', change)
    const next = { ...learned, slots: { ...learned.slots, [was.slot]: { ...placed, test } } }
    const beside = [
      learnedItems.replace(next, learned, new ChangedMeanwhile()),
      slots.stays({ ...ctx.space, slot: was.slot }, slot._v, new ChangedMeanwhile()),
    ]
    await ctx.table.commit([write, ...beside, ...commitWith(ctx, [transition])], id)
    return item
  })

/** When a test ends by itself. */
export const endOf = ({ started_at, max_days }: AbTest): number => Date.parse(started_at ?? '') + max_days * DAY_MS
