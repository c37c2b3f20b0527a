import { invalid } from '../../base/lib/failure.ts'
import { refusalOfTarget } from '../../base/lib/safe-http.ts'

/** Throws 422 for a URL that must not be called. The present addresses of its host are checked, too. */
export async function mustBeCallable(url: string): Promise<void> {
  const refusal = await refusalOfTarget(url)
  if (refusal !== undefined) throw invalid(['url'], refusal)
}
