/** What `run` refuses with: status, and `scimType` if it has one. Throws when it refuses nothing. */
export function refusalOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    const { status, options } = error as { status: number; options: { code?: string } }
    return [status, options.code].filter((part) => part !== undefined).join(' ')
  }
  throw new Error('nothing was refused')
}
