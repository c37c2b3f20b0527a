// Which of the approver groups that a policy names there are: nobody could ever decide for a misspelt one.
import { apiKeys, keysPartition } from '../access/api-key.ts'
