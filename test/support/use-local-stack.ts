// Apart from local-stack.ts, which also runs outside of vitest.
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type LocalStack, type LocalStackOptions, startLocalStack } from './local-stack.ts'

/**
 * The local service for all tests of a file: runs from before the first, where its fields appear, to after the last.
 * A tenant that a test, or a hook around each test, founds ends with the test; one of `beforeAll` lives as long as the file.
 */
export function useLocalStack(options?: LocalStackOptions): LocalStack {
  const local = {} as LocalStack // filled before any test, or hook that is registered after this call, can read it
  beforeAll(async () => {
    Object.assign(local, await startLocalStack(options))
  })
  // Registered first, so the one begins before and the other runs after the hooks of the file.
  beforeEach(() => local.keepFounded())
  afterEach(() => local.endFounded())
  afterAll(() => local.stop())
  return local
}
