// CPU of the embedded trainer and of its scores, compared with their goals.
import { featuresOf } from '../../shared/base/scorer/features.ts'
import { type Linear, score } from '../../shared/base/scorer/weights-file.ts'
import { fit, mulberry32 } from '../../shared/learn/trainers/embedded/fit.ts'
import { Hyperparameters } from '../../shared/learn/trainers/trainer.ts'
import { type Example, matrixOf } from '../../shared/learn/trainers/embedded/matrix.ts'

const ROWS = 16_000
const SCORES = 50_000
const ROUNDS = 6
const GOALS = { training_ms: 1_000, score_us: 10 }
const CONTEXT = 'shop.billing.refunds/refund_payment'

const random = mulberry32(1)
const payloadOf = () => {
  const amount = Math.floor(random() * 400)
  const note = random() < 0.5 ? 'Late fee 2025' : 'Goods were damaged'
  return { amount, currency: 'EUR', note, lines: [{ sku: 'A1' }], urgent: random() < 0.1 }
}

/** Milliseconds of CPU. */
function cpuOf(work: () => void): number {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

export async function run(): Promise<void> {
  const examples = Array.from({ length: ROWS }, (): Example => {
    const payload = payloadOf()
    return { features: featuresOf(CONTEXT, payload), y: payload.amount < 100 ? 1 : 0, weight: 1 }
  })
  let model: Linear = { weights: new Float64Array(), bias: 0 }
  const training_ms = cpuOf(() => {
    for (const epoch of fit(matrixOf(examples), Hyperparameters.parse({}))) model = epoch.model
  })
  const payloads = Array.from({ length: 1_000 }, payloadOf)
  let sum = 0
  const scoring = () => {
    for (let at = 0; at < SCORES; at += 1) sum += score(model, CONTEXT, payloads[at % payloads.length])
  }
  const rounds = Array.from({ length: ROUNDS }, () => (cpuOf(scoring) * 1_000) / SCORES)
  const score_us = Math.min(...rounds) // the first ones are not compiled yet, and the machine is shared
  const met = training_ms <= GOALS.training_ms && score_us <= GOALS.score_us && sum > 0
  console.log({
    rows: ROWS,
    training_ms: Math.round(training_ms),
    score_us: Number(score_us.toFixed(2)),
    goals: GOALS,
    met,
  })
  if (!met) process.exitCode = 1
}
