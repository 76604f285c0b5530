// Public surface of the typed RPC: what an edge looks like from both ends.
export * from './connect.ts'
export * from './contract.ts'
export * from './issues.ts'
export * from './serve.ts'
