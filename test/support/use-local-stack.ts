// Apart from local-stack.ts, which also runs outside of vitest.
import { afterAll, beforeAll } from 'vitest'
import { type LocalStack, type LocalStackOptions, startLocalStack } from './local-stack.ts'

/** The local service for all tests of a file: runs from before the first, where its fields appear, to after the last. */
export function useLocalStack(options?: LocalStackOptions): LocalStack {
  const local = {} as LocalStack // filled before any test, or hook that is registered after this call, can read it
  beforeAll(async () => {
    Object.assign(local, await startLocalStack(options))
  })
  afterAll(() => local.stop())
  return local
}
