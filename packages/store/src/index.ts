// Public surface of the store.
export { type Store, type StoreOptions, openStore } from './open.ts'
export { createQueue, type Queue } from './queue.ts'
export { rekeyStore, type RekeyOptions } from './rekey.ts'
export { openSealedKey, sealKey } from './seal.ts'
export { copyStore, type CopyOptions } from './copy.ts'
export { type FileKey, openKeyFile, sealKeyFile } from './key-file.ts'
export type { Rows, Value } from './rows.ts'
export type { Transaction } from './transaction.ts'
