//! The body of a create: one JSON object that leaves the server's fields alone.
//!
//! Spec: "Create".

use super::Body;
use super::refusal::{self, Refusal};
use crate::definition::Resource;
use crate::json::{self, Member, Rules, Value};

/// Reads a create's body into its members, a null id dropped.
///
/// # Errors
/// 413 for a body over the limit, 400 for one that is no JSON object or sets a field that is
/// the server's.
pub(super) fn read<'a>(resource: &Resource, body: &Body<'a>) -> Result<Vec<Member<'a>>, Refusal> {
    let Body::Complete(bytes) = *body else {
        return Err(refusal::body_too_large());
    };
    let text = std::str::from_utf8(bytes).map_err(|_| refusal::body_not_utf8())?;
    let value = json::read(text, &Rules::DOOR).map_err(|error| refusal::body_not_json(&error))?;
    let Value::Object(mut members) = value else {
        return Err(refusal::body_not_an_object());
    };

    let id = members.iter().position(|(name, _)| *name == resource.id_field);
    if let Some(id) = id {
        if members[id].1 != Value::Null {
            return Err(refusal::id_field_set(&resource.id_field));
        }
        members.remove(id);
    }
    if let Some(idempotency) = &resource.idempotency
        && members.iter().any(|(name, _)| *name == idempotency.field)
    {
        return Err(refusal::idempotency_field_set(&idempotency.field, &idempotency.header));
    }
    Ok(members)
}
