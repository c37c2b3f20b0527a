// Who could act with a credential: whoever made it, and everybody who was ever shown a secret of it. All of them stand behind
// what it asks for, so none of them approves that.
type Credential = { created_by: string; seen_by: readonly string[] }

/** The maker comes first. */
export const personsOf = ({ created_by, seen_by }: Credential): string[] => [...new Set([created_by, ...seen_by])]

/** What a credential notes when these people come to know a secret of it, too. */
export const seenAlsoBy = (was: Credential, persons: readonly string[]): string[] => [
  ...new Set([...personsOf(was), ...persons]),
]
