// Loads each package with machine code, and says which one this Node cannot load.
const PACKAGES = ['@node-rs/argon2', 'chdb', 'evmole', 'ffi-rs', 'onnxruntime-node'];
for (const name of PACKAGES) {
  await import(name).catch((error) => {
    process.stderr.write(`Node ${process.version} cannot load ${name}: ${error.message}\n`);
    process.exitCode = 1;
  });
}
