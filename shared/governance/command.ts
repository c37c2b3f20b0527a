// Reads a command in plain words. It is only ever read: it reaches no shell, evaluator or template.
import { NOUN_MARKERS } from './lexicon.ts'
import { higherReading, isHard, isHigherThanReading, type Reading } from './reading.ts'
