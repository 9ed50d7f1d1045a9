//! Scripts and calls of them: by digest first, in full when the server has forgotten it.
//! A server forgets its scripts at a restart, a failover and a `SCRIPT FLUSH`.

use redis::{Cmd, cmd};

/// A Lua script.
#[derive(Clone, Debug)]
pub struct Script {
    code: &'static str,
    sha1: String,
}

impl Script {
    /// A script of that code.
    #[must_use]
    pub fn new(code: &'static str) -> Self {
        let sha1 = redis::Script::new(code).get_hash().to_owned();
        Self { code, sha1 }
    }

    /// Its code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code
    }

    /// The name under which a server remembers it.
    #[must_use]
    pub fn sha1(&self) -> &str {
        &self.sha1
    }

    /// A call of it on these keys.
    #[must_use]
    pub fn call<'a>(&self, keys: impl IntoIterator<Item = &'a str>) -> Call {
        let keys: Vec<&str> = keys.into_iter().collect();
        let mut call = Call {
            code: self.code,
            sha1: self.sha1.clone(),
            operands: Vec::new(),
        };
        call.push(keys.len().to_string());
        for key in keys {
            call.push(key);
        }
        call
    }
}

/// A script with its keys and arguments.
#[derive(Clone, Debug)]
pub struct Call {
    code: &'static str,
    sha1: String,
    operands: Vec<Vec<u8>>,
}

impl Call {
    /// Adds an argument.
    pub fn push(&mut self, argument: impl Into<Vec<u8>>) {
        self.operands.push(argument.into());
    }

    /// Adds an argument.
    #[must_use]
    pub fn with(mut self, argument: impl Into<Vec<u8>>) -> Self {
        self.push(argument);
        self
    }

    /// `EVALSHA`: short, and answered by [`Refusal::ScriptMissing`](crate::Refusal) where
    /// the server has forgotten the script. Nothing has happened then.
    #[must_use]
    pub fn by_digest(&self) -> Cmd {
        self.command("EVALSHA", self.sha1.as_bytes())
    }

    /// `EVAL`: with the code, and the server remembers it from then on.
    #[must_use]
    pub fn in_full(&self) -> Cmd {
        self.command("EVAL", self.code.as_bytes())
    }

    fn command(&self, name: &str, script: &[u8]) -> Cmd {
        let mut command = cmd(name);
        command.arg(script);
        for operand in &self.operands {
            command.arg(operand.as_slice());
        }
        command
    }
}
