// What browsers have and the checker's library does not know yet.

interface WakeLockSentinel { release(): Promise<void> }
interface Navigator { wakeLock?: { request(kind: "screen"): Promise<WakeLockSentinel> }; userActivation?: { hasBeenActive: boolean } }
interface FileSystemDirectoryHandle { entries(): AsyncIterableIterator<[string, FileSystemDirectoryHandle]> }
