// Limits concurrent requests: some run, some wait in a queue, and the rest is refused at once. Without a limit a hundred
// callers slow each other down until none gets an answer.
import { setTimeout as wait } from 'node:timers/promises'

export type Limits = {
  /** Maximum of running requests. */
  running: number
  /** Maximum of requests in the queue. */
  waiting: number
  /** Resolves when a request that starts to wait now has waited long enough. */
  patience: () => Promise<void>
}

/** The limits of one machine. A request waits at most ten seconds, which a burst of some hundred does not need on two cores. */
export const LIMITS: Limits = { running: 8, waiting: 1_000, patience: () => wait(10_000, undefined, { ref: false }) }

type Waiting = (admitted: boolean) => void

export class Turns {
  readonly #limits: Limits
  #running = 0
  #queue: Waiting[] = []

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Resolves in order of arrival; true when admitted. An admitted request calls `done` at its end. */
  take(): Promise<boolean> {
    const { running, waiting, patience } = this.#limits
    if (this.#running < running) {
      this.#running += 1
      return Promise.resolve(true)
    }
    if (this.#queue.length >= waiting) return Promise.resolve(false)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#queue.push(resolve)
    void patience().then(() => this.#giveUp(resolve))
    return promise
  }

  /** Passes the turn to the request that has waited longest. */
  done(): void {
    const next = this.#queue.shift()
    if (next) next(true)
    else this.#running -= 1
  }

  #giveUp(waiting: Waiting): void {
    this.#queue = this.#queue.filter((one) => one !== waiting)
    waiting(false) // no effect on a request that was admitted before
  }
}
