import { invalid } from '../../base/lib/failure.ts'
import { refusalOfTarget } from '../../base/lib/safe-http.ts'

/** Throws the 422 of a URL that must not be called, judged also by the addresses its name has now. */
export async function mustBeCallable(url: string): Promise<void> {
  const refusal = await refusalOfTarget(url)
  if (refusal !== undefined) throw invalid(['url'], refusal)
}
