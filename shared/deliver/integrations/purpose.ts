// Why a tool is connected, and what it holds: for whoever keeps the record of processing.
import * as z from 'zod'
import { plainText } from '../../base/wire/fields.ts'

export const purpose = plainText(500)
export const categories = z.array(plainText(64)).max(20)
