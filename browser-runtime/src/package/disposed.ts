// What runs fail with that were under way when their model was disposed.
export const disposed = (): Error => new Error('the model was disposed');
