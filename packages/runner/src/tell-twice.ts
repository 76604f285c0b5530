// Tells the gateway once more what it could not be told: a connection may have ended with it, and twice is as good as once.

export const tellTwice = <T>(tell: () => Promise<T>): Promise<T> => tell().catch(tell)
