import { env } from '../../base/lib/env.ts'

/** The page at which the person of an authorisation is, whichever it is. */
export const interactionUrl = (uid: string): string => `${env('APP_URL')}/oauth/interaction/${uid}`
