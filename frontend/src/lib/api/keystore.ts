// Storage of the key pair with which a reloaded page signs in again. No script can read the private key. The hub
// stores the public key, and forgets it when the hub ends. If another program then listens on the port of the hub,
// that program gets access to this storage, but finds only a key that no hub accepts.

const DATABASE = "agent-discover";
const STORE = "keys";
const ENTRY = "reload";

/** The session that a reloaded page resumes, and the key that signs for it. */
export interface Stored {
  session: string;
  key: CryptoKey;
}

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("The browser’s storage failed."));
  });

/** use runs an operation on the storage. It returns undefined where there is no storage, as in some private windows. */
async function use<T>(mode: IDBTransactionMode, run: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  let database: IDBDatabase | undefined;
  try {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    database = await settled(opening);
    return await settled(run(database.transaction(STORE, mode).objectStore(STORE)));
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}

export const load = (): Promise<Stored | undefined> =>
  use("readonly", (store) => store.get(ENTRY) as IDBRequest<Stored>);
export const save = (entry: Stored): Promise<unknown> => use("readwrite", (store) => store.put(entry, ENTRY));
export const clear = (): Promise<unknown> => use("readwrite", (store) => store.delete(ENTRY));
