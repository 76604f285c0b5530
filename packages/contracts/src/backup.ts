// Who may open a backup: the holders of identities, or of a passphrase.
import * as v from 'valibot'

const passphraseLeast = 12

const Recipient = v.pipe(v.string(), v.regex(/^age1[a-z0-9]{10,4000}$/, 'expected a recipient such as age1…'))

export const Passphrase = v.pipe(
  v.string(),
  v.minLength(passphraseLeast, `expected a passphrase of at least ${passphraseLeast} characters`),
  v.maxLength(1024, 'expected a passphrase of at most 1024 characters'),
)

/** Never both: age wants one or the other. */
export const BackupOrder = v.union(
  [
    v.strictObject({ recipients: v.pipe(v.array(Recipient), v.minLength(1, 'expected a recipient'), v.maxLength(20)) }),
    v.strictObject({ passphrase: Passphrase }),
  ],
  'expected recipients such as age1…, or a passphrase',
)
export type BackupOrder = v.InferOutput<typeof BackupOrder>
