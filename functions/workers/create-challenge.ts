/** Called by the user pool: the challenge is to show a ticket, of which nothing can be said beforehand. */
export async function handler<E extends object>(event: E) {
  const response = { publicChallengeParameters: {}, privateChallengeParameters: {}, challengeMetadata: 'TICKET' }
  return { ...event, response }
}
